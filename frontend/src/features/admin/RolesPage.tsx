import { ErrorNote, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Panel } from "../../components/Panel";
import { Scroll } from "../../components/Scroll";
import { useOrganisation, usePermissionMatrix } from "../../lib/session";
import type { PermissionMatrix, Role } from "../../model/api";

function YesOrNo({ yes }: { yes: boolean }) {
  return yes ? (
    <span className="mark" data-tone="good">
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d="M1.5 6.5l3 3 6-7" fill="none" stroke="currentColor" strokeWidth="2" />
      </svg>
      yes
    </span>
  ) : (
    <span className="quiet">no</span>
  );
}

function Matrix({ matrix, mine }: { matrix: PermissionMatrix; mine: Role | undefined }) {
  return (
    <Scroll label="Table of what each role may do">
      <table>
        <thead>
          <tr>
            <th>May</th>
            {matrix.roles.map(({ role }) => (
              <th key={role}>{role === mine ? `${role} (you)` : role}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {matrix.permissions.map(({ permission, allows }) => (
            <tr key={permission}>
              <th scope="row" className="message">
                {allows} <code className="quiet">{permission}</code>
              </th>
              {matrix.roles.map(({ role, permissions }) => (
                <td key={role}>
                  <YesOrNo yes={permissions.includes(permission)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Who may do what. */
export function RolesPage() {
  const matrix = usePermissionMatrix();
  const mine = useOrganisation()?.role;
  return (
    <>
      <PageHead title="Who may do what" />
      {matrix.isPending ? <Waiting>Loading the roles…</Waiting> : null}
      <ErrorNote error={matrix.error} onRetry={() => void matrix.refetch()} />
      {matrix.data === undefined ? null : (
        <>
          <Panel title="Roles">
            <dl className="facts">
              {matrix.data.roles.map(({ role, words }) => (
                <div key={role} className="fact-pair">
                  <dt>
                    <strong>{role}</strong>
                  </dt>
                  <dd>
                    {words}
                    {role === mine ? " · this is your role" : ""}
                  </dd>
                </div>
              ))}
            </dl>
          </Panel>
          <Panel
            title="What each may do"
            note="A token may never do more than its scopes, its role and its person."
            flush
          >
            <Matrix matrix={matrix.data} mine={mine} />
          </Panel>
        </>
      )}
    </>
  );
}
