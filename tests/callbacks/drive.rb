# Prints the answers of docs/callbacks/verify.rb to the vectors.
require "json"
require_relative "../../docs/callbacks/verify"

vectors = JSON.parse(File.read("docs/callbacks/vectors.json", encoding: "UTF-8"))["vectors"]
vectors.each do |vector|
  puts "#{vector["name"]}\t#{verify(vector["secret"], vector["body"], vector["xSignature"])}"
end
raise "a missing header is refused" if verify(vectors[0]["secret"], vectors[0]["body"], nil)
