import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useSlug } from "../../../lib/account/session";
import { ApiFailure } from "../../../lib/api/client";
import { type UploadParts, uploadParts } from "../../../lib/api/uploads";
import type { FileResponse } from "../../../model/api";
import { useCancelUpload, useFinishUpload } from "./requests";

const CHUNK_BYTES = 4 * 1024 * 1024;

export interface UploadingFile {
  name: string;
  size: number;
  arrived: number;
  /** `there`: a file of that name exists; the upload waits for permission to replace it. */
  state: "sending" | "looking" | "there" | "failed";
  error: Error | null;
  upload: string;
}

/** Upload one file after the other: send it, let the server check it, and report the stored file. */
export function useFileUpload(onBrought: (file: FileResponse) => void) {
  const slug = useSlug();
  const queries = useQueryClient();
  const finishing = useFinishUpload();
  const cancelling = useCancelUpload();
  const [brought, setBrought] = useState<UploadingFile | null>(null);
  const parts = useRef<UploadParts | null>(null);

  const finish = async (file: UploadingFile, replace: boolean) => {
    setBrought({ ...file, state: "looking" });
    try {
      const made = await finishing.mutateAsync({ upload: file.upload, replace });
      setBrought(null);
      onBrought(made);
    } catch (error) {
      const there = error instanceof ApiFailure && error.code === "file_exists";
      setBrought({ ...file, state: there ? "there" : "failed", error: error as Error });
    }
  };
  const bring = async (file: File) => {
    const begun: UploadingFile = {
      name: file.name,
      size: file.size,
      arrived: 0,
      state: "sending",
      error: null,
      upload: "",
    };
    setBrought(begun);
    const sending = uploadParts(slug, file, CHUNK_BYTES, (arrived) =>
      setBrought((now) => (now?.state === "sending" ? { ...now, arrived } : now)),
    );
    parts.current = sending;
    try {
      const upload = await sending.arrived;
      await finish({ ...begun, arrived: file.size, upload }, false);
    } catch (error) {
      setBrought({ ...begun, state: "failed", error: error as Error });
      void queries.invalidateQueries({ queryKey: [slug, "files"] });
    }
  };
  const stop = () => {
    parts.current?.pause();
    if (brought !== null && brought.upload !== "") cancelling.mutate(brought.upload);
    setBrought(null);
    void queries.invalidateQueries({ queryKey: [slug, "files"] });
  };
  return { brought, bring, stop, replace: () => (brought === null ? undefined : finish(brought, true)) };
}
