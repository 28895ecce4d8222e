/** File uploads by the tus protocol: in parts, resuming an earlier attempt. */

import { DetailedError, Upload } from "tus-js-client";
import { ApiFailure, csrfToken, failureOf } from "./client";

export interface UploadParts {
  /** Resolves with the id of the upload when all bytes have been received. */
  arrived: Promise<string>;
  /** Stop sending; the received part is kept and can be resumed. */
  pause: () => void;
}

const UNREACHABLE = {
  code: "unreachable",
  message: "The server can't be reached. The uploaded part is kept; choose the same file again to continue.",
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

/** Return the id of an upload from its address. */
function idOf(address: string | null): string {
  return address?.split("/").findLast((part) => part !== "") ?? "";
}

const TRIES_MS = [0, 1_000, 3_000, 5_000, 10_000, 20_000];

/** Upload `file`; `onProgress` receives the number of transferred bytes. An earlier attempt is resumed. */
export function uploadParts(
  slug: string,
  file: File,
  chunkBytes: number,
  onProgress: (arrived: number) => void,
): UploadParts {
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
