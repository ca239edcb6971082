# The example of Perl's LWP for a reply that is taken as it comes: a handler for its pieces, and `is_success` at the end.
use strict;
use warnings;
use HTTP::Request;
use JSON::PP;
use LWP::UserAgent;

my $url = "$ENV{INTERN_BASE_URL}/interns/$ENV{INTERN_INTERN_ID}/chat/completions";
my $body = encode_json({ stream => JSON::PP::true, messages => [{ role => 'user', content => 'one two three' }] });
my $request = HTTP::Request->new(
    POST => $url, ['Content-Type' => 'application/json', Authorization => "Bearer $ENV{INTERN_API_KEY}"], $body);
my $rest = '';
my $response = LWP::UserAgent->new->request($request, sub {
    $rest .= $_[0];
    while ($rest =~ s/^(.*?)\r?\n//) {
        next unless $1 =~ /^data: (\{.*)/;
        print decode_json($1)->{choices}[0]{delta}{content} // '';
    }
});
die $response->status_line, "\n" unless $response->is_success;
