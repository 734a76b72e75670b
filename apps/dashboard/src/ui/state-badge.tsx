import classes from './state-badge.module.css';

export type Tone = 'good' | 'waiting' | 'bad' | 'quiet';

/** The shape of the mark distinguishes tones without colour. */
const TONES: Record<string, Tone> = {
  ACTIVE: 'good',
  CONNECTED: 'good',
  EXPIRED: 'bad',
  active: 'good',
  failing: 'waiting',
  disabled: 'bad',
  delivered: 'good',
  pending: 'waiting',
  failed: 'bad',
  ok: 'good',
  troubled: 'waiting',
  down: 'bad',
  unknown: 'quiet',
  running: 'waiting',
  passed: 'good',
  admin: 'good',
  viewer: 'quiet',
  production: 'good',
  development: 'waiting',
};

export interface StateBadgeProps {
  state: string;
  /** Replaces the name of the state. */
  label?: string;
  tone?: Tone;
}

export function StateBadge({ state, label = state.toLowerCase(), tone = TONES[state] ?? 'quiet' }: StateBadgeProps) {
  return (
    <span className={classes.badge} data-tone={tone}>
      <svg className={classes.mark} viewBox="0 0 10 10" aria-hidden>
        <Mark tone={tone} />
      </svg>
      {label}
    </span>
  );
}

function Mark({ tone }: { tone: Tone }) {
  if (tone === 'good') return <circle cx="5" cy="5" r="4" />;
  if (tone === 'waiting') return <path d="M5 0.5 9.5 9h-9z" />;
  if (tone === 'bad') return <path d="M1 1h8v8h-8z" />;
  return <circle cx="5" cy="5" r="3.25" fill="none" stroke="currentColor" strokeWidth="1.5" />;
}
