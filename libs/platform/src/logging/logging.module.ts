import { Module, type DynamicModule } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import { pino, type DestinationStream, type LogFn, type Logger } from 'pino';
import { currentTraceId } from '../telemetry/index.js';
import { currentContext, type RequestContext } from '../request-context/request-context.js';
import { loggedError, redacted } from './redaction.js';

export interface LoggingOptions {
  /** `api`, `worker`, …: on every line. */
  service: string;
  level: string;
  /** Default: standard output. The command line tool keeps that for its answers and logs to standard error. */
  destination?: DestinationStream;
}

/** Lines are written together: under load a write for each of them is a tenth of what a small read costs. */
const BUFFERED_BYTES = 8_192;
/** The longest that a line waits for others. Only a process that is killed loses what it has not yet written. */
const LINGER_MS = 50;

let output: DestinationStream | undefined;

/** The standard output of this process, for all of its loggers. pino writes what is left when the process ends. */
function standardOutput(): DestinationStream {
  return (output ??= pino.destination({ minLength: BUFFERED_BYTES, periodicFlush: LINGER_MS, sync: false }));
}

/**
 * One JSON line per record: control characters and line breaks in user text are escaped by JSON, so a line cannot be
 * forged. The mixin puts the current request, or the trace of a job, on every line, wherever it was written.
 */
export function createLogger({ service, level, destination }: LoggingOptions): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: redacted },
    // Errors are reduced by `redacted` before serializers run; pino's own one would add their fields again.
    serializers: { err: (error: unknown) => error },
    hooks: { logMethod: withSafeMessage },
    mixin: () => {
      const context = currentContext();
      if (context !== undefined) return fieldsOf(context);
      const traceId = currentTraceId();
      return traceId === undefined ? {} : { traceId };
    },
  };
  return pino(options, destination ?? standardOutput());
}

/** A line that says nothing but an error gets its message from pino, unreduced, unless it has one. */
function withSafeMessage(this: Logger, args: Parameters<LogFn>, write: LogFn): void {
  const [line, message]: unknown[] = args;
  const { err, msg } = (line instanceof Error ? { err: line } : Object(line)) as { err?: unknown; msg?: unknown };
  if (!(err instanceof Error) || message !== undefined || msg !== undefined) write.apply(this, args);
  else write.call(this, line, loggedError(err).message);
}

/** Injection token of the pino logger of the process. */
export const PROCESS_LOGGER = Symbol('PROCESS_LOGGER');

/** Nest's logger over pino, once per process: a second import would log everything twice. */
@Module({})
export class LoggingModule {
  static forRoot(options: LoggingOptions): DynamicModule {
    const logger = createLogger(options);
    return {
      module: LoggingModule,
      global: true,
      providers: [{ provide: PROCESS_LOGGER, useValue: logger }],
      exports: [PROCESS_LOGGER],
      imports: [
        LoggerModule.forRoot({
          pinoHttp: { logger, autoLogging: false, wrapSerializers: false, serializers: {} },
          // Requests are logged by the api alone, which binds the middleware itself.
          forRoutes: [],
        }),
      ],
    };
  }
}

/** Only these: an implementation of the context may hold more than belongs into a log. */
function fieldsOf({ requestId, traceId, applicationId, accountId }: RequestContext): RequestContext {
  const fields: RequestContext = { requestId };
  if (traceId !== undefined) fields.traceId = traceId;
  if (applicationId !== undefined) fields.applicationId = applicationId;
  if (accountId !== undefined) fields.accountId = accountId;
  return fields;
}
