import { ReasonedButton } from "../../components/actions/Reasoned";
import type { Role } from "../../model/api";

interface RoleChooserProps {
  label: string;
  role: Role;
  /** The roles that the user may assign; the current role is always an option. */
  roles: readonly Role[];
  reason: string | null;
  busy: boolean;
  onChoose: (role: Role) => void;
}

/** The role in a table row: a select that applies at once, or the role with the reason why it can't be changed. */
export function RoleChooser({ label, role, roles, reason, busy, onChoose }: RoleChooserProps) {
  if (reason !== null) {
    return (
      <ReasonedButton reason={reason} className="compact locked" aria-label={`${label}: ${role}`}>
        {role}
      </ReasonedButton>
    );
  }
  const choices = roles.includes(role) ? roles : [role, ...roles];
  return (
    <select
      className="compact"
      aria-label={label}
      value={role}
      disabled={busy}
      onChange={(event) => {
        const chosen = choices.find((each) => each === event.target.value);
        if (chosen !== undefined && chosen !== role) onChoose(chosen);
      }}
    >
      {choices.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  );
}
