import { AuthPage } from './auth-page.js';
import { OpenInvitation } from './opened-invitation.js';
import { useTokenInUrl } from './token-in-address.js';

export default function SetupPage() {
  const token = useTokenInUrl();
  return (
    <AuthPage
      title="Set up this installation"
      description="You become its first operator, with the role of an admin. Others are invited by you."
    >
      <OpenInvitation
        token={token}
        lost="This link works no more: it was used, or the api was started again and has logged a new one. Open the newest one of its log, whole, up to its last character."
      />
    </AuthPage>
  );
}
