/** A certificate for localhost that no authority has signed, valid until 2126, as options of an HTTPS server. */
export const selfSigned = {
  key: toPem(
    'PRIVATE KEY',
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg63TSPDvRepi8tM3nnu3CptIXdZA1nvrP68NE1qNEDSqhRANCAARCBamJnJ2NP9k8mX19LDhfI30PpF3T' +
      'LGS3jdeyz9F7v26021NUUr13tOfJgJang0NQVlI7azXet3MxPPzwEBta',
  ),
  cert: toPem(
    'CERTIFICATE',
    'MIIBmjCCAUGgAwIBAgIUYc9qnaiyv1h2uYWJgmgYWkA18dcwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjA1MzMzN1oYDzIxMjYxMTAy' +
      'MDUzMzM3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARCBamJnJ2NP9k8mX19LDhfI30PpF3TLGS3jdeyz9F7v26021NUUr13' +
      'tOfJgJang0NQVlI7azXet3MxPPzwEBtao28wbTAdBgNVHQ4EFgQUpL8mZQqSjgpt5v+ltMpp9UByIacwHwYDVR0jBBgwFoAUpL8mZQqSjgpt5v+ltMpp9UByIacwDwYD' +
      'VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZIzj0EAwIDRwAwRAIgNGlG7EtR49ST6qfdlRPf0d+R/ECZh8PxXBVSDjtmP1ICIB5c' +
      '2I5BVE4MF6gYgtJIYHDqadzR6UQ5mfxxM32BJ0RH',
  ),
};

function toPem(label: string, base64: string): string {
  return `-----BEGIN ${label}-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;
}
