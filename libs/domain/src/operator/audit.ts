export interface AuditEntry {
  /** null when the action concerns no application. */
  applicationId: string | null;
  /** `api-key:<id>`, `operator:<email>`, `operator-token:<id>`, `ops` or `system`. */
  actor: string;
  /** `credentials.read`, `api-key.created`, … */
  action: string;
  /** Target of the action: `end-user-account:<id>`. */
  subject: string;
  requestId: string | null;
}

export abstract class AuditLog {
  abstract record(entry: AuditEntry): Promise<void>;
}

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
  after: string | null;
}

export abstract class AuditTrail {
  abstract list(query: AuditTrailQuery): Promise<RecordedAuditEntry[]>;
}
