// The client scenarios of the conformance suite that run, by revision, with the number of checks that must pass.

/** Some checks are made for each request, so a few more may pass. */
const authorization = {
  'auth/metadata-default': 18,
  'auth/metadata-var1': 18,
  'auth/metadata-var2': 18,
  'auth/metadata-var3': 18,
  'auth/basic-cimd': 12,
  'auth/scope-from-www-authenticate': 14,
  'auth/scope-from-scopes-supported': 14,
  'auth/scope-omitted-when-undefined': 14,
  'auth/scope-step-up': 22,
  'auth/scope-retry-limit': 20,
  'auth/token-endpoint-auth-basic': 19,
  'auth/token-endpoint-auth-post': 19,
  'auth/token-endpoint-auth-none': 19,
  'auth/pre-registration': 12,
};

export const checks = {
  '2025-03-26': {
    'auth/2025-03-26-oauth-metadata-backcompat': 12,
    'auth/2025-03-26-oauth-endpoint-fallback': 7,
  },
  '2025-11-25': {
    initialize: 1,
    tools_call: 2,
    'elicitation-sep1034-client-defaults': 5,
    'sse-retry': 3,
    ...authorization,
    'json-schema-2020-12-preservation': 9,
  },
  '2026-07-28': {
    tools_call: 2,
    'request-metadata': 7,
    'http-standard-headers': 9,
    'http-custom-headers': 18,
    'http-invalid-tool-headers': 12,
    'json-schema-ref-no-deref': 1,
    'json-schema-2020-12-preservation': 9,
    'sep-2322-client-request-state': 5,
    ...authorization,
    'auth/resource-mismatch': 3,
    'auth/offline-access-scope': 12,
    'auth/offline-access-not-supported': 14,
    'auth/authorization-server-migration': 27,
    'auth/iss-supported': 14,
    'auth/iss-not-advertised': 14,
    'auth/iss-supported-missing': 8,
    'auth/iss-wrong-issuer': 8,
    'auth/iss-unexpected': 8,
    'auth/iss-normalized': 8,
    'auth/metadata-issuer-mismatch': 3,
  },
  // Scenarios of extensions belong to no revision. The suite skips them if one is given.
  extension: {
    'auth/client-credentials-basic': 8,
    'auth/client-credentials-jwt': 8,
    'auth/enterprise-managed-authorization': 9,
    'auth/dpop': 11,
    'auth/dpop-nonce': 13,
    'auth/wif-jwt-bearer': 8,
  },
};

const skills = 'tests the skills extension, which is opt-in and which the package does not declare';

/** Scenarios that do not run, with the reason. */
export const leftOut = {
  'sep-2640-client-no-prefetch': skills,
  'sep-2640-client-verify-digest': skills,
  'sep-2640-client-verify-size': skills,
  'sep-2640-client-verify-frontmatter': skills,
};
