import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Model } from '../model.js';
import type { createRouter } from '../router.js';

export interface Services {
  model: Model;
  router: ReturnType<typeof createRouter>;
}

const Context = createContext<Services | undefined>(undefined);
export const ServicesProvider = Context.Provider;

export function useServices(): Services {
  const services = useContext(Context);
  if (!services) throw new Error('a view outside of the page');
  return services;
}
