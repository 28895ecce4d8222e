/** Bringing a file by the tus protocol: in parts, going on where an earlier attempt stopped. */

import { DetailedError, Upload } from "tus-js-client";
import { ApiFailure, csrfToken, failureOf } from "./api";

export interface BroughtParts {
  /** Resolves with the id of the upload when all bytes have arrived. */
  arrived: Promise<string>;
  /** Stops sending; what has arrived waits to be gone on with. */
  pause: () => void;
}

const UNREACHABLE = {
  code: "unreachable",
  message: "The server cannot be reached. What has arrived is kept: choose the file again to go on from there.",
  faults: [],
};

function failure(error: Error | DetailedError): ApiFailure {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  if (response === null || response === undefined) return new ApiFailure(0, UNREACHABLE);
  try {
    return failureOf(response.getStatus(), JSON.parse(response.getBody()));
  } catch {
    return failureOf(response.getStatus(), null);
  }
}

/** The id of an upload in its address. */
function idOf(address: string | null): string {
  return address?.split("/").findLast((part) => part !== "") ?? "";
}

const TRIES_MS = [0, 1_000, 3_000, 5_000, 10_000, 20_000];

/** Sends `file`; `onProgress` hears the bytes that have arrived. One that was begun before is gone on with. */
export function bringParts(
  slug: string,
  file: File,
  chunkBytes: number,
  onProgress: (arrived: number) => void,
): BroughtParts {
  let upload: Upload;
  const arrived = new Promise<string>((resolve, reject) => {
    upload = new Upload(file, {
      endpoint: `/api/t/${slug}/files/uploads/`,
      metadata: { filename: file.name },
      chunkSize: chunkBytes,
      retryDelays: TRIES_MS,
      removeFingerprintOnSuccess: true,
      fingerprint: async () => ["punctual", slug, file.name, file.size, file.lastModified].join(" "),
      onBeforeRequest: (request) => request.setHeader("X-CSRFToken", csrfToken()),
      onShouldRetry: (error) => {
        const status = error.originalResponse?.getStatus() ?? 0;
        return status === 0 || status === 423 || status === 409 || status === 429 || (status >= 500 && status !== 507);
      },
      onProgress: (sent) => onProgress(sent),
      onError: (error) => reject(failure(error)),
      onSuccess: () => resolve(idOf(upload.url)),
    });
    void upload.findPreviousUploads().then(([previous]) => {
      if (previous !== undefined) upload.resumeFromPreviousUpload(previous);
      upload.start();
    });
  });
  return { arrived, pause: () => void upload?.abort() };
}
