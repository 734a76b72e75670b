import { demoApplication } from './demo-application.js';

const response = (query: string): string =>
  demoApplication('http://localhost:3000')({
    method: 'GET',
    path: '/',
    query: new URLSearchParams(query),
    headers: {},
    body: Buffer.alloc(0),
  }).body.toString();

describe('the demo application', () => {
  it('shows the account and commands that work with it', () => {
    const page = response('endUserAccountId=0193&state=abc%3D');
    expect(page).toContain('data-testid="end-user-account-id">0193<');
    expect(page).toContain('data-testid="state">abc=<');
    expect(page).toContain('http://localhost:3000/api/v1/calendars/0193');
  });

  it('shows why there is none', () => {
    const page = response('error=access_denied&error_description=No.&state=x');
    expect(page).toContain('data-testid="error">access_denied<');
    expect(page).toContain('data-testid="error-description">No.<');
  });

  it('says what it is to who comes by hand', () => {
    expect(response('')).toContain('Browsers come here at the end of a sign-in');
  });

  it('takes nothing for markup', () => {
    expect(response('endUserAccountId=%3Cscript%3E')).not.toContain('<script>');
    expect(response('error=x&error_description=%3Cimg%20src%3Dx%3E')).not.toContain('<img');
  });
});
