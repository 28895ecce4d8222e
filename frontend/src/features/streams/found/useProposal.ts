import { useMutation } from "@tanstack/react-query";
import { api, unwrap } from "../../../lib/api";
import { useSlug } from "../../../lib/session";
import type { StreamInference } from "../../../model/api";

export interface Looked {
  kind: string;
  options: Record<string, unknown>;
  /** The stream whose secrets are kept, where a stored one is changed. */
  stream: string | null;
}

/** Looks at a sample of what an adapter reads; nothing is stored. */
export function useProposal() {
  const slug = useSlug();
  return useMutation({
    mutationFn: ({ kind, options, stream }: Looked): Promise<StreamInference> =>
      unwrap(
        api.POST("/api/t/{slug}/streams/infer/", {
          params: { path: { slug } },
          body: { adapter: { kind, options }, stream },
        }),
      ),
  });
}
