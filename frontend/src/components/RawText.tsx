/** Text of rows and names as strangers wrote it: its direction ends where it ends. */

import { spelt } from "../model/plainText";

export function RawText({ text }: { text: string }) {
  return <bdi>{spelt(text)}</bdi>;
}
