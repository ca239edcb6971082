import './styles/tokens.css';
import './styles/base.css';
import './styles/console.css';
import { render } from 'preact';
import { createApi } from './api.js';
import { createModel } from './model.js';
import { createRouter } from './router.js';
import { ServicesProvider } from './ui/context.js';
import { Shell } from './views/shell.js';
import { chosenTheme, showTheme } from './views/theme.js';

showTheme(chosenTheme());
const api = createApi(location.href.replace(/#.*$/, ''));
const model = createModel(api);
const router = createRouter();
const app = document.getElementById('app');
// Everything shown so far must be visible at once.
app?.replaceChildren();
if (app)
  render(
    <ServicesProvider value={{ model, router }}>
      <Shell />
    </ServicesProvider>,
    app,
  );
model.connect();
