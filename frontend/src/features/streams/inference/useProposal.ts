import { useMutation } from "@tanstack/react-query";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import type { StreamInference } from "../../../model/api";

export interface SampledInput {
  kind: string;
  options: Record<string, unknown>;
  /** The stored stream being edited, whose secrets are used; null for a new one. */
  stream: string | null;
}

/** Infer settings from a sample of an adapter's rows; nothing is stored. */
export function useProposal() {
  const slug = useSlug();
  return useMutation({
    mutationFn: ({ kind, options, stream }: SampledInput): Promise<StreamInference> =>
      unwrap(
        api.POST("/api/t/{slug}/streams/infer/", {
          params: { path: { slug } },
          body: { adapter: { kind, options }, stream },
        }),
      ),
  });
}
