/** The logo of Punctual; the name appears next to it. */
export function Mark() {
  return <img src="/mark.svg" width="22" height="22" alt="" />;
}
