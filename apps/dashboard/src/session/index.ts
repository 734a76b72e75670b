export { returnPath, signInPath } from './return-to.js';
export { NeedsSession, useMayChange, useOperator, useSession, useSessionQuery } from './session.js';
