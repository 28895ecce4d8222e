/** Files that the server prepares: downloaded with progress, whole or not at all. */

import { brokenOffWords } from "../../messages/results/resultExport";
import { type DownloadProgress, fileName } from "../../model/results/resultExport";
import { ApiFailure, failureOf, UNREACHABLE } from "./client";

export interface DownloadedFile {
  name: string;
  rows: number;
  content: Blob;
}

function brokenOff(received: number): ApiFailure {
  return new ApiFailure(0, { code: "broken_off", message: brokenOffWords(received), faults: [] });
}

async function answered(path: string, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { signal, cache: "no-store" });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ApiFailure(0, UNREACHABLE);
  }
  if (!response.ok) throw failureOf(response.status, await response.json().catch(() => null));
  return response;
}

/** Count the bytes of `body` on their way. */
function counted(body: ReadableStream<Uint8Array<ArrayBuffer>>, onBytes: (received: number) => void) {
  let received = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, controller) {
        received += piece.byteLength;
        onBytes(received);
        controller.enqueue(piece);
      },
    }),
  );
}

/** Return the file at `path`. Throws `ApiFailure` for an error response, and for a transfer that ends early. */
export async function downloadFile(
  path: string,
  signal: AbortSignal,
  onProgress: (progress: DownloadProgress) => void,
): Promise<DownloadedFile> {
  const response = await answered(path, signal);
  const total = Number(response.headers.get("Punctual-Bytes"));
  let received = 0;
  const progress = (bytes: number) => {
    received = bytes;
    onProgress({ received, total });
  };
  progress(0);
  let content: Blob;
  try {
    content = await new Response(response.body === null ? null : counted(response.body, progress)).blob();
  } catch (error) {
    if (signal.aborted) throw error;
    throw brokenOff(received);
  }
  if (content.size !== total) throw brokenOff(content.size);
  const name = fileName(response.headers.get("Content-Disposition"));
  return { name, rows: Number(response.headers.get("Punctual-Rows")), content };
}

/** Let the browser save a file that is already here. */
export function saveFile({ name, content }: DownloadedFile): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}

/** Browsers start to copy the content at once, and finish later. */
const KEPT_MS = 60_000;
