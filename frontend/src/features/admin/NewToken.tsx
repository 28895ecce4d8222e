import { type FormEvent, useState } from "react";
import { Ask } from "../../components/Ask";
import { SelectField, TextField } from "../../components/Field";
import { ErrorNote, Notice } from "../../components/Notices";
import { useOrganisation } from "../../lib/session";
import type { MyOrganisation, Permission } from "../../model/api";
import { useCreateToken } from "./queries";

type Role = MyOrganisation["role"];

/** What a token's maker must be allowed for each role; a token may never do more than its person. */
const NEEDED: Record<Role, Permission> = {
  viewer: "view",
  designer: "edit",
  operator: "operate",
  admin: "administer",
  owner: "administer",
};
const LENGTHS = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "365 days"],
] as const;

interface MadeProps {
  token: string;
  onDone: () => void;
}

function Made({ token, onDone }: MadeProps) {
  const [copied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(token).then(() => setCopied(true));
  return (
    <div className="stack">
      <Notice tone="good">
        <p>This is the only time that the token is shown. Copy it now.</p>
      </Notice>
      <code className="secret">{token}</code>
      <p className="row">
        <button type="button" className="button" data-kind="primary" onClick={copy}>
          {copied ? "Copied" : "Copy the token"}
        </button>
        <button type="button" className="button" onClick={onDone}>
          Done
        </button>
      </p>
    </div>
  );
}

interface TokenFormProps {
  roles: readonly Role[];
  onMade: (token: string) => void;
  onCancel: () => void;
}

function TokenForm({ roles, onMade, onCancel }: TokenFormProps) {
  const creating = useCreateToken();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [days, setDays] = useState<(typeof LENGTHS)[number][0]>("90");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creating.mutate(
      { name: name.trim(), role, expires_in_days: Number(days) },
      { onSuccess: (made) => onMade(made.token) },
    );
  };
  return (
    <form className="stack" onSubmit={submit}>
      <TextField label="Name" value={name} onChange={setName} required help="What signs in with it, such as nightly." />
      <SelectField
        label="Role"
        value={role}
        options={roles.map((each) => [each, each] as const)}
        onChange={setRole}
        help="It may never do more than you may yourself."
      />
      <SelectField label="Expires after" value={days} options={LENGTHS} onChange={setDays} />
      <ErrorNote error={creating.error} />
      <p className="row">
        <button type="submit" className="button" data-kind="primary" disabled={creating.isPending}>
          {creating.isPending ? "Making it…" : "Make the token"}
        </button>
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </form>
  );
}

/** Makes a token, and shows it once. */
export function NewToken() {
  const [open, setOpen] = useState(false);
  const [token, setToken] = useState<string | null>(null);
  const permissions = useOrganisation()?.permissions ?? [];
  const roles = (Object.keys(NEEDED) as Role[]).filter((role) => permissions.includes(NEEDED[role]));
  const close = () => {
    setOpen(false);
    setToken(null);
  };
  return (
    <>
      <button type="button" className="button" data-kind="primary" onClick={() => setOpen(true)}>
        New token
      </button>
      <Ask title="New access token" open={open} onClose={close}>
        {token === null ? (
          <TokenForm roles={roles} onMade={setToken} onCancel={close} />
        ) : (
          <Made token={token} onDone={close} />
        )}
      </Ask>
    </>
  );
}
