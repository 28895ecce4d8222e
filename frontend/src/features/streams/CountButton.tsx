import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { ModalDialog } from "../../components/actions/ModalDialog";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { ErrorNote } from "../../components/notices/Notices";
import { useReason, useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import { everyQuery } from "../../lib/api/lists";
import type { StreamResponse } from "../../model/api";
import { startingText } from "../../model/graph/graphText";
import { freeName } from "../../model/text/freeName";

const LONGEST = 63;

/** Create a query that counts a stream's events by minute, and open it with a sample in the simulator. */
export function CountButton({ stream }: { stream: StreamResponse }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const reason = useReason("edit");
  const making = useMutation({
    mutationFn: async () => {
      const params = { path: { slug } };
      const known = await everyQuery(slug);
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
        {making.isPending ? "Creating a query…" : "Count its events"}
      </ReasonedButton>
      <ModalDialog title="Query not created" open={making.isError} onClose={() => making.reset()}>
        <ErrorNote error={making.error} />
      </ModalDialog>
    </>
  );
}
