// Python 3 with its standard library alone, the client of signing.
export const client = {
  title: 'Python, standard library, signing',
  versions: ['3'],
  command: ['python3', 'clients/adapters/python_signing.py'],
  needs: { command: ['python3', '--version'], get: 'apt-get install python3' },
};
