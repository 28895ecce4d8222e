import { ErrorNote, Waiting } from "../../../components/notices/Notices";
import { PageHead } from "../../../components/page/PageHead";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { useOrganisation, usePermissionMatrix } from "../../../lib/account/session";
import type { PermissionMatrix, Role } from "../../../model/api";

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
    <Scroll label="Table of permissions by role">
      <table>
        <thead>
          <tr>
            <th>Permission</th>
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

/** The permissions of each role. */
export function RolesPage() {
  const matrix = usePermissionMatrix();
  const mine = useOrganisation()?.role;
  return (
    <>
      <PageHead title="Roles" />
      {matrix.isPending ? <Waiting>Loading the roles…</Waiting> : null}
      <ErrorNote error={matrix.error} onRetry={() => void matrix.refetch()} />
      {matrix.data === undefined ? null : (
        <>
          <Panel title="Overview">
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
            title="Permissions"
            note="A token never has more permissions than its scopes, its role and its owner"
            flush
          >
            <Matrix matrix={matrix.data} mine={mine} />
          </Panel>
        </>
      )}
    </>
  );
}
