import type { Intern } from '../types.js';

/** The progress of an intern's boot; nothing if there is none. */
export const Progress = ({ intern }: { intern: Intern }) => {
  const { progress } = intern;
  if (!progress) return null;
  const { step_label: label, step_number: step, total_steps: total } = progress;
  return (
    <div class="stack close small">
      <progress max={total} value={step - 0.5} aria-label={`Boot of ${intern.name}`} />
      <span>
        {label} <span class="quiet">{`${step} of ${total}`}</span>
      </span>
    </div>
  );
};
