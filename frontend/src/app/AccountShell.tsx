import { AccountLayout } from "../features/account";
import { Frame } from "./Frame";
import { SignedIn } from "./SignedIn";

/** The frame of a person's account pages, outside organisations. */
export function AccountShell() {
  return (
    <SignedIn>
      {(me) => (
        <Frame me={me} slug={null}>
          <AccountLayout />
        </Frame>
      )}
    </SignedIn>
  );
}
