export interface AuditEntry {
  /** null: it was done to none of them. */
  applicationId: string | null;
  /** Who: `api-key:<id>`, `operator:<email>`, `ops`, `system`. */
  actor: string;
  /** `credentials.read`, `api-key.created`, … */
  action: string;
  /** What it was done to: `end-user-account:<id>`. */
  subject: string;
  requestId: string | null;
}

export abstract class AuditLog {
  abstract record(entry: AuditEntry): Promise<void>;
}

/** What was done, as it was recorded. */
export interface RecordedAuditEntry {
  id: string;
  applicationId: string | null;
  actor: string;
  action: string;
  subject: string;
  requestId: string | null;
  recordedAt: Date;
}

export interface AuditTrailQuery {
  limit: number;
  applicationId: string | null;
  actor: string | null;
  action: string | null;
  /** Id of the last entry of the page before. */
  after: string | null;
}

export abstract class AuditTrail {
  /** Newest first. */
  abstract list(query: AuditTrailQuery): Promise<RecordedAuditEntry[]>;
}
