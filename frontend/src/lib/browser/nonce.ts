/** Return the page's nonce. The content security policy accepts style sheets added by scripts only with it. */
export function styleNonce(): string {
  // Browsers hide the attribute from selectors and `getAttribute`; only the property has the value.
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
}
