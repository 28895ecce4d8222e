import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { Ask } from "../../components/Ask";
import { ErrorNote } from "../../components/Notices";
import { ReasonedButton } from "../../components/Reasoned";
import { api, unwrap } from "../../lib/api";
import { useReason, useSlug } from "../../lib/session";
import type { StreamShown } from "../../model/api";
import { freeName } from "../../model/freeName";
import { startingText } from "../../model/graphText";

const LONGEST = 63;

/** Makes a query that counts the events of a stream by minute, and opens it with a sample in the simulator. */
export function CountIt({ stream }: { stream: StreamShown }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const reason = useReason("edit");
  const making = useMutation({
    mutationFn: async () => {
      const params = { path: { slug } };
      const known = await unwrap(api.GET("/api/t/{slug}/queries/", { params }));
      const wanted = `${stream.name.slice(0, LONGEST - 15)}_per_minute`;
      const name = freeName(
        wanted,
        known.map((each) => each.name),
      );
      const body = { text: startingText(stream.name, name), comment: "" };
      return unwrap(api.POST("/api/t/{slug}/queries/", { params, body }));
    },
    onSuccess: async (query) => {
      await queries.invalidateQueries({ queryKey: [slug, "queries"] });
      void navigate(`/t/${slug}/queries/${query.id}?sample=${stream.name}`);
    },
  });
  const make = () => (making.isPending ? undefined : making.mutate());
  return (
    <>
      <ReasonedButton reason={reason} kind="primary" onClick={make} aria-disabled={making.isPending}>
        {making.isPending ? "Making a query…" : "Count its events"}
      </ReasonedButton>
      <Ask title="No query was made" open={making.isError} onClose={() => making.reset()}>
        <ErrorNote error={making.error} />
      </Ask>
    </>
  );
}
