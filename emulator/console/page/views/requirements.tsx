import { linkTo } from '../router.js';
import { Empty, Page } from '../ui/parts.js';
import { useRequirements } from './request-detail.js';

const LEVELS: Readonly<Record<string, string>> = {
  S: 'stated by the interface',
  P: 'published by the API it describes',
  C: 'chosen by the emulator',
};

export function RequirementsView({ id }: { id: string | undefined }) {
  const requirements = useRequirements();
  const row = requirements.find((requirement) => requirement.id === id);
  const area = id?.replace(/-\d+$/, '');
  const shown = requirements.filter((requirement) => id === undefined || requirement.id.startsWith(`${area}-`));
  return (
    <Page title="Requirements" sub="What the interface demands. A refusal names the requirement that it rests on.">
      {requirements.length > 0 && id !== undefined && !row && (
        <Empty icon="warn" title={`No requirement ${id}`}>
          <a href={linkTo('requirements')}>See them all</a>
        </Empty>
      )}
      <ul class="stack close">
        {shown.map((requirement) => (
          <li key={requirement.id} class="card" aria-current={requirement.id === id ? 'true' : undefined}>
            <h2 class="row wrap">
              <a href={linkTo('requirements', requirement.id)}>{requirement.id}</a>
              <span class="tag">{LEVELS[requirement.level]}</span>
              <span class="quiet small">{requirement.where}</span>
            </h2>
            <p>{requirement.sentence}</p>
            {requirement.published && <p class="quiet">Published: {requirement.published}</p>}
            {requirement.chosen && <p class="quiet">Chosen: {requirement.chosen}</p>}
          </li>
        ))}
      </ul>
      {id !== undefined && (
        <p>
          <a href={linkTo('requirements')}>All requirements</a>
        </p>
      )}
    </Page>
  );
}
