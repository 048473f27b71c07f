import { useEffect, useState } from 'react';
import { fetchApi } from '../page/api.js';

/** Returns an address that the browser can show without a header: stored files are fetched, and shown as blobs. */
export function useFileUrl(url: string): string | undefined {
  const path = /^\/api(\/conversations\/[\w-]+\/attachments\/[0-9a-f]{32})$/.exec(url)?.[1];
  const [blobUrl, setBlobUrl] = useState<string>();
  useEffect(() => {
    if (path === undefined) return;
    const controller = new AbortController();
    let created: string | undefined;
    fetchApi(path, { signal: controller.signal })
      .then(response => (response.ok ? response.blob() : undefined))
      .then(blob => {
        if (blob === undefined || controller.signal.aborted) return;
        created = URL.createObjectURL(blob);
        setBlobUrl(created);
      })
      .catch(() => {});
    return () => {
      controller.abort();
      if (created !== undefined) URL.revokeObjectURL(created);
    };
  }, [path]);
  return path === undefined ? url : blobUrl;
}
