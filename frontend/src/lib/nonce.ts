/** The nonce of this page, with which the content security policy knows style sheets that scripts add. */
export function styleNonce(): string {
  // Browsers hide the attribute from selectors and `getAttribute`; the property alone holds it.
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
}
