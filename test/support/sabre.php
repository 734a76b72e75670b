<?php
// sabre/dav as the example of a groupware server that comes with it: the router of PHP's own web server. With arguments,
// `NAME PASSWORD …`, it makes the database with these users instead.
error_reporting(E_ALL & ~E_DEPRECATED); // sabre/dav 1.8 is older than the PHP of today
ini_set('display_errors', '0');
date_default_timezone_set('UTC');

$realm = 'SabreDAV';
$database = new PDO('sqlite:' . getenv('SABRE_DATABASE'));
$database->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
$database->exec('PRAGMA synchronous = OFF');

if (PHP_SAPI === 'cli') {
    foreach ([
        'users (id INTEGER PRIMARY KEY, username TEXT UNIQUE, digesta1 TEXT)',
        'principals (id INTEGER PRIMARY KEY, uri TEXT UNIQUE, email TEXT, displayname TEXT, vcardurl TEXT)',
        'groupmembers (id INTEGER PRIMARY KEY, principal_id INTEGER, member_id INTEGER)',
        'calendars (id INTEGER PRIMARY KEY, principaluri TEXT, displayname TEXT, uri TEXT, ctag INTEGER,
          description TEXT, calendarorder INTEGER, calendarcolor TEXT, timezone TEXT, components TEXT, transparent BOOL)',
        'calendarobjects (id INTEGER PRIMARY KEY, calendardata BLOB, uri TEXT, calendarid INTEGER, lastmodified INTEGER,
          etag TEXT, size INTEGER, componenttype TEXT, firstoccurence INTEGER, lastoccurence INTEGER)',
    ] as $table) {
        $database->exec("CREATE TABLE $table");
    }
    foreach (array_chunk(array_slice($argv, 1), 2) as [$name, $password]) {
        $database->prepare('INSERT INTO users (username, digesta1) VALUES (?, ?)')
            ->execute([$name, md5("$name:$realm:$password")]);
        $principals = $database->prepare('INSERT INTO principals (uri, email, displayname) VALUES (?, ?, ?)');
        $principals->execute(["principals/$name", $name, $name]);
        $principals->execute(["principals/$name/calendar-proxy-read", null, null]);
        $principals->execute(["principals/$name/calendar-proxy-write", null, null]);
    }
    return;
}

$base = '/dav.php/';
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($path === '/.well-known/caldav') {
    header("Location: $base", true, 301);
    return;
}
if (!str_starts_with($path, $base)) {
    http_response_code(404);
    return;
}

set_error_handler(function ($level, $message, $file, $line) {
    if ((error_reporting() & $level) !== 0) throw new ErrorException($message, 0, $level, $file, $line);
});
require_once 'Sabre/autoload.php';

class PasswordsOfUsers extends \Sabre\DAV\Auth\Backend\AbstractBasic
{
    public function __construct(private PDO $database, private string $realm)
    {
    }

    protected function validateUserPass($username, $password)
    {
        $user = $this->database->prepare('SELECT digesta1 FROM users WHERE username = ?');
        $user->execute([$username]);
        return hash_equals((string) $user->fetchColumn(), md5("$username:$this->realm:$password"));
    }
}

$principals = new \Sabre\DAVACL\PrincipalBackend\PDO($database);
$users = getenv('SABRE_AUTHENTICATION') === 'digest'
    ? new \Sabre\DAV\Auth\Backend\PDO($database)
    : new PasswordsOfUsers($database, $realm);
$server = new \Sabre\DAV\Server([
    new \Sabre\CalDAV\Principal\Collection($principals),
    new \Sabre\CalDAV\CalendarRootNode($principals, new \Sabre\CalDAV\Backend\PDO($database)),
]);
$server->setBaseUri($base);
$server->addPlugin(new \Sabre\DAV\Auth\Plugin($users, $realm));
$server->addPlugin(new \Sabre\CalDAV\Plugin());
$server->addPlugin(new \Sabre\DAVACL\Plugin());
$server->exec();
