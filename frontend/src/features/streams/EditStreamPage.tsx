import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { ErrorNote, Notice, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Stale } from "../../components/Stale";
import { UseList, useUses } from "../../components/Uses";
import { useInputKinds } from "../../lib/adapterKinds";
import { useSlug } from "../../lib/session";
import type { AdapterKind, StreamBody, StreamShown } from "../../model/api";
import { formFields } from "../../model/schemaForm";
import { formOf, optionValues } from "../../model/streamForm";
import { useReplaceStream, useStream } from "./requests";
import { StreamEditor, type TypedStream } from "./StreamEditor";

function typedOf(stream: StreamShown, kinds: readonly AdapterKind[]): TypedStream {
  const kind = kinds.find((each) => each.kind === stream.adapter.kind);
  const fields = kind === undefined ? [] : formFields(kind.options_schema);
  const options = optionValues(fields, stream.adapter.options);
  return { form: formOf(stream), options, upon: stream.revision, begun: textOf(stream) };
}

function textOf({ name, definition, adapter }: StreamShown): string {
  return JSON.stringify({ name, definition, adapter }, null, 2);
}

function WhatFollows({ stream }: { stream: StreamShown }) {
  const uses = useUses("stream", stream.id);
  if (uses.data === undefined || uses.data.length === 0) return null;
  return (
    <Notice tone="busy">
      <p>
        What is changed here holds for these from their next start; a run that is under way keeps what it started with.
        With another name, bindings follow by themselves, and each query that names the stream gets a new version with
        the new name; older versions keep the old one.
      </p>
      <UseList uses={uses.data} />
    </Notice>
  );
}

interface Sent {
  body: StreamBody;
  typed: TypedStream;
  done: () => void;
}

interface EditProps {
  stream: StreamShown;
  kinds: readonly AdapterKind[];
  onReload: () => void;
}

function Edit({ stream, kinds, onReload }: EditProps) {
  const slug = useSlug();
  const navigate = useNavigate();
  const saving = useReplaceStream(stream.id);
  const [begun] = useState(stream);
  const [sent, setSent] = useState<Sent | null>(null);
  const send = ({ body, typed, done }: Sent, upon: string) => {
    setSent({ body, typed, done });
    saving.mutate(
      { ...body, upon },
      {
        onSuccess: () => {
          done();
          void navigate(`/t/${slug}/streams/${stream.id}`);
        },
      },
    );
  };
  const reload = () => {
    sent?.done();
    onReload();
  };
  return (
    <>
      <WhatFollows stream={stream} />
      <StreamEditor
        kinds={kinds}
        object={`stream ${stream.id}`}
        stream={stream.id}
        taken={[]}
        initial={typedOf(begun, kinds)}
        words={["Save the stream", "Saving…"]}
        saving={saving}
        onSave={(body, typed, done) => send({ body, typed, done }, typed.upon)}
      />
      <Stale
        error={saving.error}
        begun={sent?.typed.begun ?? ""}
        now={textOf(stream)}
        onReload={reload}
        onOverwrite={() => (sent === null ? undefined : send(sent, stream.revision))}
      />
    </>
  );
}

/** The form in which a stream is changed and renamed. */
export function EditStreamPage() {
  const { stream: id = "" } = useParams();
  const slug = useSlug();
  const stream = useStream(id);
  const kinds = useInputKinds();
  const [loaded, setLoaded] = useState(0);
  const reload = () => void stream.refetch().then(() => setLoaded((times) => times + 1));
  if (stream.isError) return <ErrorNote error={stream.error} onRetry={() => void stream.refetch()} />;
  if (stream.isPending || kinds.isPending) return <Waiting>Loading the stream…</Waiting>;
  return (
    <>
      <PageHead
        title={`Change ${stream.data.name}`}
        crumb={{ to: `/t/${slug}/streams/${id}`, label: stream.data.name }}
      />
      <ErrorNote error={kinds.error} onRetry={() => void kinds.refetch()} />
      {kinds.data === undefined ? null : (
        <Edit key={loaded} stream={stream.data} kinds={kinds.data} onReload={reload} />
      )}
    </>
  );
}
