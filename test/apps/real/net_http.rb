# The example of Ruby's `Net::HTTP` for streams: `read_body` with a block, and its limits of a minute.
require 'json'
require 'net/http'

uri = URI("#{ENV['INTERN_BASE_URL']}/interns/#{ENV['INTERN_INTERN_ID']}/chat/completions")
Net::HTTP.start(uri.host, uri.port) do |http|
  request = Net::HTTP::Post.new(uri, 'Content-Type' => 'application/json', 'Authorization' => "Bearer #{ENV['INTERN_API_KEY']}")
  request.body = { stream: true, messages: [{ role: 'user', content: 'one two three' }] }.to_json
  http.request(request) do |response|
    response.value
    buffer = +''
    response.read_body do |piece|
      buffer << piece
      while (line = buffer.slice!(/.*\n/))
        data = line[/\Adata: (.*)/, 1]&.strip
        next if data.nil? || data == '[DONE]'
        print JSON.parse(data).dig('choices', 0, 'delta', 'content')
      end
    end
  end
end
