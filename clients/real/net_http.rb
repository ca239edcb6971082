# Ruby's net/http as a command: the body on standard input; the answer as HTTP prints it.
require 'json'
require 'net/http'

url = URI(ARGV[0])
request = Net::HTTP::Post.new(url, JSON.parse(ARGV[1]))
request.body = $stdin.read
$stdout.binmode.sync = true
Net::HTTP.start(url.host, url.port, read_timeout: nil, max_retries: 0) do |http|
  http.request(request) do |response|
    print "HTTP/1.1 #{response.code}\r\ncontent-type: #{response['content-type']}\r\n\r\n"
    response.read_body { |piece| print piece }
  end
end
