import { defineConfig } from 'vite';

// The page calls /api/v1/… on its own origin; Vite passes it on, with the key, which so never reaches the browser.
export default defineConfig({
  server: {
    proxy: {
      '/api/v1': {
        target: new URL(process.env.INTERN_BASE_URL ?? 'http://127.0.0.1:4683').origin,
        changeOrigin: true, // the emulator on loopback serves loopback names only
        headers: { authorization: `Bearer ${process.env.INTERN_API_KEY ?? 'emu-key-alice-0000000000000000'}` },
      },
    },
  },
});
