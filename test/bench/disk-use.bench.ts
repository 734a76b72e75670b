/** What rows take on disk, with their indexes, as they are when a year of them is there. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { asAdmin, createTestDatabase } from '../support/postgres.js';

const ROWS = 50_000;
const OWNER = randomUUID();

interface Kind {
  /** Of which one is counted. */
  what: string;
  /** Rows that it takes. Ids grow with time, as ours do. */
  inserts: Record<string, string>;
  /** Bytes; half as much again as when it was measured. */
  limit: number;
}

/** `n` bytes that do not compress, as ciphertexts do not. */
const sealed = (bytes: number) =>
  `decode(left(${Array.from({ length: Math.ceil(bytes / 16) }, () => 'md5(random()::text)').join('||')}, ${2 * bytes}), 'hex')`;

const KINDS: Kind[] = [
  {
    what: 'a message to a receiver',
    inserts: {
      webhook_message:
        'id, application_id, endpoint_id, account_id, event_type, body, state, failures, resends, tries, tries_by_hand, created_at) ' +
        `select uuidv7(), '${OWNER}', '${OWNER}', gen_random_uuid(), 'calendar.event.changed', ` +
        `'{"eventType":"calendar.event.changed","timestamp":"2026-11-21T10:00:00.000Z"}', 'delivered', 0, 0, 1, 0, now()`,
    },
    limit: 500,
  },
  {
    what: 'an attempt to deliver one, answered without a text',
    inserts: {
      delivery_attempt:
        'message_id, number, application_id, started_at, duration_ms, status, response_text) ' +
        `select uuidv7(), 1, '${OWNER}', now() + n * interval '1 s', 12, 204, ''`,
    },
    limit: 250,
  },
  {
    what: 'a request in the request log',
    inserts: {
      request_record:
        'id, request_id, started_at, method, route, status, duration_ms, application_id, api_key_id, account_id, provider_type) ' +
        `select uuidv7(), gen_random_uuid()::text, now() + n * interval '1 s', 'GET', ` +
        `'/api/v1/events/:endUserAccountId/:calendarId', 200, 40, '${OWNER}', md5(''), md5((n % 1000)::text)::uuid, 'GOOGLE'`,
    },
    limit: 720,
  },
  {
    what: 'a GOOGLE account with its credentials',
    inserts: {
      end_user_account:
        'id, application_id, provider_configuration_id, provider_type, email, external_id, authorized_scopes, provider_account_id, status, created_at, updated_at) ' +
        `select uuidv7(), '${OWNER}', '${OWNER}', 'GOOGLE', 'person-' || n || '@example.com', 'user-' || n, ` +
        `'{openid,https://www.googleapis.com/auth/userinfo.email,https://www.googleapis.com/auth/calendar}', '10800000000' || n, 'ACTIVE', now(), now()`,
      credential:
        'id, application_id, end_user_account_id, secret, row_version, oauth_client_id, created_at, updated_at) ' +
        `select uuidv7(), '${OWNER}', uuidv7(), ${sealed(550)}, 1, '1234-client.apps.googleusercontent.com', now(), now()`,
      credential_check:
        'end_user_account_id, application_id, next_check_at, checked_at, last_used_at) ' +
        `select uuidv7(), '${OWNER}', now(), now(), now()`,
    },
    limit: 2_250,
  },
  {
    what: 'a subscription of a calendar with its channel',
    inserts: {
      synced_calendar:
        'id, application_id, end_user_account_id, calendar_id, calendar_hash, sync_token, sync_requests, next_sync_at, reconcile_requests, reconcile_at, created_at) ' +
        `select uuidv7(), '${OWNER}', uuidv7(), 'person-' || n || '@example.com', ${sealed(32)}, ` +
        `encode(${sealed(90)}, 'base64'), 0, now() + n * interval '1 s', 0, now() + n * interval '1 s', now()`,
      webhook_endpoint:
        'id, application_id, synced_calendar_id, url, secrets, event_types, created_at, updated_at) ' +
        `select uuidv7(), '${OWNER}', uuidv7(), 'https://app.example.com/webhooks/calendar', ${sealed(130)}, ` +
        `'{calendar.event.changed,calendar.event.unknown}', now(), now()`,
      provider_channel:
        'id, application_id, synced_calendar_id, token, state, subscription_id, resource_id, expires_at, renew_at, renewed_at, created_at) ' +
        `select uuidv7(), '${OWNER}', uuidv7(), ${sealed(80)}, 'live', gen_random_uuid()::text, md5(n::text), now(), now(), now(), now()`,
    },
    limit: 2_060,
  },
];

async function bytesOf(admin: pg.Client, table: string): Promise<number> {
  const { rows } = await admin.query<{ bytes: string }>('select pg_total_relation_size($1) as bytes', [table]);
  return Number(rows[0]?.bytes);
}

const database = await createTestDatabase();
try {
  const measured = await asAdmin(database.adminUrl, async (admin) => {
    // Rows of nobody who is there: foreign keys are not what is measured.
    await admin.query('set session_replication_role = replica');
    const rows = [];
    for (const { what, inserts, limit } of KINDS) {
      let bytes = 0;
      for (const [table, insert] of Object.entries(inserts)) {
        const before = await bytesOf(admin, table);
        await admin.query(`insert into ${table} (${insert} from generate_series(1, ${ROWS}) as n`);
        bytes += (await bytesOf(admin, table)) - before;
      }
      const each = bytes / ROWS;
      const detail = `${Math.round(bytes / 2 ** 20)} MiB for ${ROWS}, in ${Object.keys(inserts).join(', ')}`;
      rows.push({ name: `Bytes of database for ${what}, indexes included`, ratio: each, limit, detail });
    }
    return rows;
  });
  console.log(JSON.stringify(measured));
} finally {
  await database.drop();
}
process.exit();
