import { useNavigate } from "react-router";
import { ErrorNote, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { useSlug } from "../../lib/session";
import type { AdapterKind } from "../../model/api";
import { EMPTY_FORM } from "../../model/streamForm";
import { useAdapterKinds, useCreateStream } from "./requests";
import { StreamEditor } from "./StreamEditor";

function CreateForm({ kinds }: { kinds: readonly AdapterKind[] }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const creating = useCreateStream();
  return (
    <StreamEditor
      kinds={kinds}
      object="new stream"
      initial={{ form: { ...EMPTY_FORM, adapter: kinds[0]?.kind ?? "" }, options: {}, upon: "", begun: "" }}
      words={["Create the stream", "Creating…"]}
      saving={creating}
      onSave={(body, _, done) =>
        creating.mutate(body, {
          onSuccess: (stream) => {
            done();
            void navigate(`/t/${slug}/streams/${stream.id}`);
          },
        })
      }
    />
  );
}

/** A form for a new stream. */
export function NewStreamPage() {
  const slug = useSlug();
  const kinds = useAdapterKinds();
  return (
    <>
      <PageHead title="New stream" crumb={{ to: `/t/${slug}/streams`, label: "Streams" }} />
      <ErrorNote error={kinds.error} onRetry={() => void kinds.refetch()} />
      {kinds.isPending ? <Waiting>Loading the kinds of adapter…</Waiting> : null}
      {kinds.data === undefined ? null : <CreateForm kinds={kinds.data} />}
    </>
  );
}
