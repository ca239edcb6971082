// Python 3 with its standard library alone.
export const client = {
  title: 'Python, standard library',
  versions: ['3'],
  command: ['python3', 'clients/adapters/python.py'],
  needs: { command: ['python3', '--version'], get: 'apt-get install python3' },
};
