/** Untrusted text, such as names and values of rows, with its text direction isolated. */

import { spelt } from "../../model/text/plainText";

export function RawText({ text }: { text: string }) {
  return <bdi>{spelt(text)}</bdi>;
}
