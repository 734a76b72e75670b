import { AuthPage } from './auth-page.js';
import { OpenInvitation } from './opened-invitation.js';
import { useTokenInUrl } from './token-in-address.js';

export default function InvitationPage() {
  const token = useTokenInUrl();
  return (
    <AuthPage title="You are invited" description="To help operate this installation of Unified Calendar.">
      <OpenInvitation
        token={token}
        lost="This link works no more: it was used or withdrawn, or it is over. Ask whoever invited you for a new one."
      />
    </AuthPage>
  );
}
