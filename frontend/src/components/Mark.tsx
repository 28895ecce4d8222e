/** The sign of Punctual; the name stands beside it. */
export function Mark() {
  return <img src="/mark.svg" width="22" height="22" alt="" />;
}
