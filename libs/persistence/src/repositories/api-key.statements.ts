/** The one read of every request: prepared once per connection, and mapped by hand. */
export const FIND_FOR_VERIFICATION = {
  name: 'api-key-verify',
  text: `
    select k.id, k.application_id as "applicationId", k.name, k.scopes, k.expires_at as "expiresAt",
           k.revoked_at as "revokedAt", k.last_used_at as "lastUsedAt", k.created_at as "createdAt",
           k.secret_hash as "secretHash", a.rate_limit_rps as "rateLimitRps"
      from api_key k join application a on a.id = k.application_id
     where k.id = $1 and a.deletion_due_at is null`,
};
