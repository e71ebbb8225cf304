/** On every answer; a route that serves pages replaces what it must. */
export function securityHeaders(tls: boolean): Record<string, string> {
  return {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    ...(tls ? { "strict-transport-security": "max-age=31536000" } : {}),
  };
}
