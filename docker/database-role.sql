-- Run once by the image of PostgreSQL, when there is no data yet: the role that every process of the service connects as. It
-- owns its database, and is bound by row-level security.
\set password `cat /run/secrets/database-password`
create role calendar login nosuperuser nocreatedb nocreaterole nobypassrls password :'password';
create database calendar owner calendar;
