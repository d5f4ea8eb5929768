<?php

// Prints the answers of docs/callbacks/verify.php to the vectors.

require 'docs/callbacks/verify.php';

$vectors = json_decode(file_get_contents('docs/callbacks/vectors.json'), true, flags: JSON_THROW_ON_ERROR)['vectors'];
foreach ($vectors as $vector) {
    $answer = verify($vector['secret'], $vector['body'], $vector['xSignature']);
    echo $vector['name'], "\t", $answer ? 'true' : 'false', "\n";
}
if (verify($vectors[0]['secret'], $vectors[0]['body'], null)) {
    fwrite(STDERR, "a missing header is accepted\n");
    exit(1);
}
