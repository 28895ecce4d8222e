import { NavLink, Outlet } from "react-router";
import { Confirmation } from "./Confirmation";

const PAGES = [
  ["/account/profile", "Profile"],
  ["/account/second-factor", "Second factor"],
  ["/account/passkeys", "Passkeys"],
  ["/account/sessions", "Sessions"],
  ["/account/connections", "Connected accounts"],
] as const;

/** The account pages with their navigation. */
export function AccountLayout() {
  return (
    <Confirmation>
      <div className="account">
        <nav className="side" aria-label="Account">
          {PAGES.map(([address, name]) => (
            <NavLink key={address} to={address}>
              {name}
            </NavLink>
          ))}
        </nav>
        <div className="stack start">
          <Outlet />
        </div>
      </div>
    </Confirmation>
  );
}
