import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ActionButton } from "../../../components/actions/ActionButton";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { DraftGuard } from "../../../components/forms/DraftGuard";
import { EntryForm } from "../../../components/forms/EntryForm";
import { SelectField } from "../../../components/forms/Field";
import { ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { PageHead } from "../../../components/page/PageHead";
import { Panel } from "../../../components/page/Panel";
import { IsoInstant } from "../../../components/values/Instant";
import { ME, useReason, useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import { withFields } from "../../../lib/api/fieldFailure";
import { useDrafted } from "../../../lib/drafts/drafts";
import type { MemberResponse, OrganisationResponse } from "../../../model/api";
import { useMembers, useOrganisationResponse, useRefresh } from "../requests";
import { Exports } from "./Exports";

/** Reload everything that an owner's decision can change. */
function useDecided() {
  const queries = useQueryClient();
  const refresh = useRefresh();
  return async () => {
    await queries.invalidateQueries({ queryKey: ME });
    await refresh("organisation", "members", "runs", "audit");
  };
}

interface PartProps {
  organisation: OrganisationResponse;
  reason: string | null;
}

function Renaming({ organisation, reason }: PartProps) {
  const slug = useSlug();
  const decided = useDecided();
  const [open, setOpen] = useState(false);
  const draft = useDrafted("organisation's name", { name: organisation.name });
  const close = () => {
    draft.done();
    setOpen(false);
  };
  const rename = (name: string) =>
    withFields(unwrap(api.PUT("/api/t/{slug}/organisation/", { params: { path: { slug } }, body: { name } })));
  return (
    <>
      <ReasonedButton reason={reason} onClick={() => setOpen(true)}>
        Rename…
      </ReasonedButton>
      <ModalDialog title="Rename the organisation" open={open} onClose={() => setOpen(false)}>
        <EntryForm
          entries={[
            {
              name: "name",
              label: "Name",
              value: draft.value.name,
              onChange: (name) => draft.change({ name }),
              autoComplete: "organization",
            },
          ]}
          words={["Rename", "Renaming…"]}
          send={({ name = "" }) => rename(name.trim())}
          onSent={async () => {
            await decided();
            close();
          }}
          onCancel={close}
          focus
        >
          <DraftGuard draft={draft} />
        </EntryForm>
      </ModalDialog>
    </>
  );
}

function Identity({ organisation, reason }: PartProps) {
  return (
    <Panel title="Name" actions={<Renaming organisation={organisation} reason={reason} />}>
      <dl className="facts">
        <dt>Name</dt>
        <dd>{organisation.name}</dd>
        <dt>Short name</dt>
        <dd>
          <code>{organisation.slug}</code> <span className="quiet">used in addresses; can't be changed</span>
        </dd>
        <dt>Created</dt>
        <dd>
          <IsoInstant iso={organisation.created_at} />
          {organisation.created_by ? ` by ${organisation.created_by}` : ""}
        </dd>
      </dl>
    </Panel>
  );
}

function HandOver({ others, onDone }: { others: readonly MemberResponse[]; onDone: () => void }) {
  const slug = useSlug();
  const decided = useDecided();
  const [chosen, setChosen] = useState(others[0]?.id ?? "");
  const person = others.find((each) => each.id === chosen);
  const hand = () =>
    unwrap(api.POST("/api/t/{slug}/organisation/transfer/", { params: { path: { slug } }, body: { member: chosen } }));
  return (
    <>
      <SelectField
        label="New owner"
        value={chosen}
        options={others.map((each) => [each.id, `${each.email} (${each.role})`] as const)}
        onChange={setChosen}
      />
      <p>{person?.email} becomes the owner and you become an admin. Only they can transfer it back.</p>
      <div className="row">
        <ActionButton
          words={["Transfer ownership", "Transferring…"]}
          act={hand}
          onDone={async () => {
            onDone();
            await decided();
          }}
          kind="danger"
        />
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </>
  );
}

function Transfer({ reason }: { reason: string | null }) {
  const [open, setOpen] = useState(false);
  const others = useMembers().data?.filter((each) => !each.me) ?? [];
  const alone = others.length === 0 ? "There are no other members. Invite the person first." : null;
  return (
    <Panel
      title="Owner"
      actions={
        <ReasonedButton reason={reason ?? alone} onClick={() => setOpen(true)}>
          Transfer ownership…
        </ReasonedButton>
      }
    >
      <p className="quiet small">
        Another member becomes the owner in your place. To add a second owner, assign the role owner under Members.
      </p>
      <ModalDialog title="Transfer ownership" open={open} onClose={() => setOpen(false)}>
        <HandOver others={others} onDone={() => setOpen(false)} />
      </ModalDialog>
    </Panel>
  );
}

function AskForDeletion({ organisation, onDone }: { organisation: OrganisationResponse; onDone: () => void }) {
  const slug = useSlug();
  const decided = useDecided();
  const remove = (typed: string) =>
    withFields(
      unwrap(api.POST("/api/t/{slug}/organisation/deletion/", { params: { path: { slug } }, body: { slug: typed } })),
    );
  return (
    <>
      <p>
        All runs are stopped now, and nothing can be started or changed. After the grace period all its data is deleted:
        streams, queries, results, members, tokens. Until then it can be read and exported, and an owner can cancel the
        deletion. All owners are notified by email.
      </p>
      <EntryForm
        entries={[
          {
            name: "slug",
            label: `Type the short name, ${organisation.slug}`,
            mono: true,
          },
        ]}
        words={["Delete organisation", "Requesting…"]}
        send={({ slug: typed = "" }) => remove(typed.trim())}
        onSent={async () => {
          onDone();
          await decided();
        }}
        onCancel={onDone}
        danger
        focus
      />
    </>
  );
}

function CancelDeletion({ organisation, reason }: PartProps) {
  const slug = useSlug();
  const decided = useDecided();
  const back = () => unwrap(api.DELETE("/api/t/{slug}/organisation/deletion/", { params: { path: { slug } } }));
  return (
    <div className="stack">
      <Notice tone="bad">
        <p>
          It will be deleted after <IsoInstant iso={organisation.delete_after ?? ""} />. Cancelling does not restart
          stopped runs.
        </p>
      </Notice>
      <div className="row">
        {reason === null ? (
          <ActionButton words={["Cancel deletion", "Cancelling…"]} act={back} onDone={decided} kind="primary" />
        ) : (
          <ReasonedButton reason={reason}>Cancel deletion</ReasonedButton>
        )}
      </div>
    </div>
  );
}

function Deletion({ organisation, reason }: PartProps) {
  const [open, setOpen] = useState(false);
  const asked = organisation.delete_after !== null;
  return (
    <Panel
      title="Deletion"
      actions={
        asked ? null : (
          <ReasonedButton reason={reason} kind="danger" onClick={() => setOpen(true)}>
            Delete…
          </ReasonedButton>
        )
      }
    >
      {asked ? (
        <CancelDeletion organisation={organisation} reason={reason} />
      ) : (
        <p className="quiet small">
          Stops all runs at once, and deletes all data after a grace period of several days. Until then you can cancel.
        </p>
      )}
      <ModalDialog title={`Delete ${organisation.name}?`} open={open} onClose={() => setOpen(false)}>
        <AskForDeletion organisation={organisation} onDone={() => setOpen(false)} />
      </ModalDialog>
    </Panel>
  );
}

/** The organisation's settings: name, owner, export and deletion. */
export function OrganisationPage() {
  const organisation = useOrganisationResponse();
  const reason = useReason("own");
  return (
    <>
      <PageHead title="Settings" />
      {organisation.isPending ? <Waiting>Loading the organisation…</Waiting> : null}
      <ErrorNote error={organisation.error} onRetry={() => void organisation.refetch()} />
      {organisation.data === undefined ? null : (
        <>
          <Identity organisation={organisation.data} reason={reason} />
          <Transfer reason={reason} />
          <Exports reason={reason} />
          <Deletion organisation={organisation.data} reason={reason} />
        </>
      )}
    </>
  );
}
